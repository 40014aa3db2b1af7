orrery help sweep
