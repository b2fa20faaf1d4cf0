import type { Plugin } from 'vite';

/** Leaves the fonts out of style sheets that all browsers of the app have in WOFF2 as well. */
export function woff2Only(): Plugin {
  return {
    name: 'woff2-only',
    enforce: 'pre',
    transform: {
      filter: { id: /katex.*\.css$/ },
      handler: (code) => code.replaceAll(/,url\([^)]+\) format\("(?:woff|truetype)"\)/g, ''),
    },
  };
}
