orrery help survey
