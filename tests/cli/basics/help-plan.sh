orrery help plan
