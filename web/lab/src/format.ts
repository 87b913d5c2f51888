// Numbers as the page writes them, and texts of numbers as the core reads them.

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 100000 as 100,000. */
export const count = (value: number): string => whole.format(value);

const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** 9.6, and 16.0 as 16. */
export const tenths = (value: number): string => oneDigit.format(value);

/** With so many digits after the point, as the core and the commands round: of two that are as near, the even one. */
function rounded(value: number, digits: number): string {
  const text = value.toFixed(digits);
  // Only such a number lies in the middle, and of it `toFixed` gives the larger one.
  const isMiddle = Math.abs((value * 2 ** (digits + 1)) % 2) === 1;
  return isMiddle && Number(text.slice(-1)) % 2 === 1 ? (value - 10 ** -(digits + 1)).toFixed(digits) : text;
}

/** A part as 28.2%. */
export const percent = (part: number): string => `${rounded(100 * part, 1)}%`;

/** A turn as 76°. */
export const degrees = (turn: number): string => `${rounded(360 * turn, 0)}°`;

/** A quotient as 2.26. */
export const ratio = (value: number): string => rounded(value, 2);

/** `1 key`, `2 keys`. */
export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** 0.25 and 12.5: digits alone, and none that say nothing. The core takes no float where a cap is exact. */
export const digits = (value: number): string => value.toFixed(9).replace(/\.?0+$/u, '');
