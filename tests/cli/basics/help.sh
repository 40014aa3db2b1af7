orrery help
