orrery help version
