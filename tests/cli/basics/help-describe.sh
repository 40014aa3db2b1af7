orrery help describe
