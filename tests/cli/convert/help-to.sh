orrery help convert to
