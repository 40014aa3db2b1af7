orrery help check
