// The types of `api.ts` as the page holds them: a state with every field said, and figures with their arrays.

import type { About as ApiAbout, Fleet as ApiFleet, Figures, Hot, Import as ApiImport, Keys as ApiKeys, Node as ApiNode, State as ApiState } from './api.ts';

export type { Cascade, Clients, Comparison, Figures, Hot, KeyFigures, KeyFile, NodeFigures, SchemeName, Step as CascadeStep } from './api.ts';
export { DISPLACED, MOVED, NOBODY, REROUTED, STRAY } from './api.ts';

export type LabNode = Required<ApiNode>;
export type Fleet = Required<Omit<ApiFleet, 'nodes'>> & { nodes: LabNode[] };
export type Keys = Required<Omit<ApiKeys, 'hot'>> & { hot: Hot | null };
export type State = Required<Omit<ApiState, 'fleet' | 'history' | 'keys'>> & { fleet: Fleet; history: Fleet[]; keys: Keys };
export type About = Omit<ApiAbout, 'start'> & { start: State };
export type Import = Omit<ApiImport, 'fleet'> & { fleet: Fleet | null };

/** Figures with the arrays beside them. */
export interface View extends Figures {
  ends: Float32Array;
  arcOwners: Uint16Array;
  bins: Float32Array;
  turns: Float32Array;
  owners: Uint16Array;
  was: Uint16Array;
  answering: Uint16Array;
  flags: Uint8Array;
}
