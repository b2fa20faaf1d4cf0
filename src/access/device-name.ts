/** Browsers in search order: many browsers also name the browsers that they are based on. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

interface DeviceName {
  readonly browser: string | null;
  readonly system: string | null;
}

/** Converts a `User-Agent` to a readable name: a browser's, or another program's such as `curl`. */
export function deviceName(userAgent: string): DeviceName {
  const find = (names: typeof browsers) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  const program = /^(?!Mozilla\/)[\w.-]{1,40}(?=\/|$)/.exec(userAgent)?.[0] ?? null;
  return { browser: find(browsers) ?? program, system: find(systems) };
}
