orrery help run colck
