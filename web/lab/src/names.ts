// What nodes are called where there is little room: the part of a name that tells it from the others.

/** As many letters of a name have room in a list. */
const ROOM = 22;

const isLetter = (c: string | undefined): boolean => c !== undefined && /\p{L}/u.test(c);
const isDigit = (c: string | undefined): boolean => c !== undefined && /\d/u.test(c);
const alike = (a: string | undefined, b: string | undefined): boolean => (isLetter(a) && isLetter(b)) || (isDigit(a) && isDigit(b));

/** How many letters all names share at their start and at their end. No word and no number is cut in two. */
export function shared(names: string[]): { start: number; end: number } {
  const [first = '', ...others] = names;
  if (others.length === 0) return { start: 0, end: 0 };
  let start = 0;
  while (start < first.length && others.every((name) => name[start] === first[start])) start += 1;
  while (start > 0 && names.some((name) => alike(name[start - 1], name[start]))) start -= 1;
  const most = Math.min(...names.map((name) => name.length - start));
  let end = 0;
  const from = (name: string, back: number): string | undefined => name[name.length - 1 - back];
  while (end < most && others.every((name) => from(name, end) === from(first, end))) end += 1;
  while (end > 0 && names.some((name) => end >= name.length || alike(from(name, end), from(name, end - 1)))) end -= 1;
  return { start, end };
}

/** Signs that turn a text around, or show nothing, as their numbers. */
export const plain = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);

/** For each name the part that is its own. */
export function ownParts(names: string[]): string[] {
  const { start, end } = shared(names);
  return names.map((name) => name.slice(start, name.length - end));
}

/** Each name as a list shows it: whole where it is short, else its own part. */
export function shortNames(names: string[]): string[] {
  const { start, end } = shared(names);
  return names.map((name) => {
    if (name.length <= ROOM) return plain(name);
    let own = name.slice(start, name.length - end);
    if (own.length > ROOM) own = `${own.slice(0, 12)}…${own.slice(-9)}`;
    const [before, after] = [start > 0 && own !== name, end > 0 && own !== name];
    return plain(`${before ? '…' : ''}${own}${after ? '…' : ''}`);
  });
}
