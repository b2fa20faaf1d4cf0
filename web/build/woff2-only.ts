import type { Plugin } from 'vite';

/** Removes other font formats from style sheets: all supported browsers read WOFF2. */
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
