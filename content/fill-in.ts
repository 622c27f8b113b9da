/** A text with a full stop at its end, and with one alone where it has its own, as "Maple Lane, Inc." and "9 a.m. to 5 p.m." do. */
export const withFullStop = (text: string): string => (text.endsWith(".") ? text : `${text}.`);

/** Puts values in the places of a text that are named in braces, such as {name}. A full stop after one is not set twice. */
export const fillIn = (text: string, factNamed: (key: string, placeholder: string) => string): string =>
  text.replaceAll(/(\{(\w+)\})(\.?)/g, (_, placeholder: string, key: string, stop: string) => {
    const value = factNamed(key, placeholder);
    return stop ? withFullStop(value) : value;
  });
