export const Explore = () => null;
