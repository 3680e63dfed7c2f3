    return s
