orrery help policies
