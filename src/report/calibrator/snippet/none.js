  return s;
