/**
 * Globals that pdf.js expects and Node.js 20 lacks. The build of pdf.js for older programs is 250 KB larger. Import this
 * before pdf.js.
 */

const additions: readonly (readonly [target: object, values: Record<string, unknown>])[] = [
  // pdf.js creates one when it is loaded. Only drawing uses it.
  [globalThis, { DOMMatrix: Object }],
  [
    Promise,
    {
      withResolvers() {
        let resolve: unknown;
        let reject: unknown;
        const promise = new Promise((...functions) => ([resolve, reject] = functions));
        return { promise, resolve, reject };
      },
      async try(run: (...args: readonly unknown[]) => unknown, ...args: readonly unknown[]) {
        return run(...args);
      },
    },
  ],
  [Map.prototype, { getOrInsertComputed }],
  [WeakMap.prototype, { getOrInsertComputed }],
  [
    Math,
    {
      sumPrecise: (numbers: Iterable<number>) => [...numbers].reduce((sum, each) => sum + each, -0),
    },
  ],
  [
    URL,
    {
      parse: (url: string, base?: string) => (URL.canParse(url, base) ? new URL(url, base) : null),
    },
  ],
  [Uint8Array, { fromBase64: (text: string) => Uint8Array.from(Buffer.from(text, 'base64')) }],
  [
    Uint8Array.prototype,
    {
      toHex(this: Uint8Array) {
        return Buffer.from(this).toString('hex');
      },
    },
  ],
  [
    ArrayBuffer.prototype,
    {
      transferToFixedLength(this: ArrayBuffer, length: number) {
        return this.slice(0, length);
      },
    },
  ],
];

function getOrInsertComputed(
  this: Pick<Map<unknown, unknown>, 'has' | 'get' | 'set'>,
  key: unknown,
  compute: (key: unknown) => unknown,
): unknown {
  if (!this.has(key)) this.set(key, compute(key));
  return this.get(key);
}

for (const [target, values] of additions) {
  for (const [name, value] of Object.entries(values)) {
    if (!(name in target))
      Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }
}
