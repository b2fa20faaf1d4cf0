import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from optimizing the WebAssembly in which undici parses HTTP. It would do so once a few MB have come
 * through it, and takes 40 MB and half a second of CPU for that, more than the better code ever gives back:
 * parsing is a small part of what a response costs. To be called before the first request is sent.
 */
export function keepHttpParserSmall(): void {
  setFlagsFromString('--liftoff-only');
}
