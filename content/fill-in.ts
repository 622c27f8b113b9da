/** Adds a full stop to a text, unless it already ends with one, as "Maple Lane, Inc." and "9 a.m. to 5 p.m." do. */
export const withFullStop = (text: string): string => (text.endsWith(".") ? text : `${text}.`);

/** Replaces each placeholder of a text, such as {name}, by its value. A value that ends with a full stop does not get a second one. */
export const fillIn = (text: string, valueNamed: (key: string, placeholder: string) => string): string =>
  text.replaceAll(/(\{(\w+)\})(\.?)/g, (_, placeholder: string, key: string, stop: string) => {
    const value = valueNamed(key, placeholder);
    return stop ? withFullStop(value) : value;
  });
