orrery help run
