orrery help explain
