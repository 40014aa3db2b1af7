orrery help polices
