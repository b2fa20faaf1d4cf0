/** First segments of the web app's paths; the app itself selects the page. */
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
