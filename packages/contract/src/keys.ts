/** Whether `name` is one of the object's own keys. */
export function isKeyOf<T extends object>(object: T, name: PropertyKey): name is keyof T & string {
  return typeof name === "string" && Object.hasOwn(object, name);
}

/** The names in a record that is written down in full. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object).filter((name) => isKeyOf(object, name));
}
