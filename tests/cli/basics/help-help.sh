orrery help help
