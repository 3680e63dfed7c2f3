export const Report = () => null;
