/**
 * Tokens that arrive within this time are sent together, in ms; the first one is never delayed. These are three screen frames:
 * each batch takes the cores from the engine for about a millisecond. See docs/adr/0004-coalesced-deltas.md.
 */
export const minBatchMs = 50;
