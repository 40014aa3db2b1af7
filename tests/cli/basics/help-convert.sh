orrery help convert
