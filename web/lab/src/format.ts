// Numbers as the page writes them.

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 100000 as 100,000. */
export const count = (value: number): string => whole.format(value);

const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** 9.6, and 16.0 as 16. */
export const tenths = (value: number): string => oneDigit.format(value);

/** A part as 28.2%. */
export const percent = (part: number, digits = 1): string => `${(100 * part).toFixed(digits)}%`;

/** A turn as 76°. */
export const degrees = (turn: number): string => `${(360 * turn).toFixed(0)}°`;

/** A quotient as 2.26. */
export const ratio = (value: number): string => value.toFixed(2);

/** `1 key`, `2 keys`. */
export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;
