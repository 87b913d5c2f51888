// What the drawing shows, in a line beneath it.

import type { App, Part } from '../app.ts';
import { DOTS } from '../band.ts';
import type { View } from '../core.ts';
import { $, say } from '../dom.ts';

export function legend(_app: App): Part {
  return {
    view(_: App, view: View): void {
      const few = view.turns.length <= DOTS;
      const band =
        view.band === 'none'
          ? few
            ? 'No circle here: each key is a mark in its owner’s colour, at its hash; the nodes stand around in joining order.'
            : 'No circle here: keys lie at their hash.'
          : view.band === 'bins'
            ? `Band: at each place split by who has how many of the ${view.band_of} there.`
            : view.band_of === 'slots'
              ? 'Band: who has each slot.'
              : 'Band: who owns each arc, which ends at a token.';
      const keys = few ? 'Dots: keys' : 'Bars inward: how many keys, by owner';
      const moved = view.change ? (few ? '; the ones that just moved are circled.' : '; what just moved is in ink.') : '.';
      say($('legend'), `${band} ${keys}${moved}`);
    },
  };
}
