/** First segments of the paths of the web app; the app itself chooses the page. */
export const webPages = [
  'chat',
  'models',
  'compare',
  'voice',
  'developer',
  'devices',
  'shortcuts',
  'open',
] as const;
