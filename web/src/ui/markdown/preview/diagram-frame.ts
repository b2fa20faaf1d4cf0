import mermaid from 'mermaid';
import { cleanSvg } from './clean-svg.ts';
import { answerRequests } from './frame-messages.ts';
import { tryImage } from './try-image.ts';

// Labels can't be HTML, since the diagram is shown as an image.
const asImages = { htmlLabels: false };

mermaid.initialize({
  startOnLoad: false,
  securityLevel: 'strict',
  suppressErrorRendering: true,
  ...asImages,
  flowchart: asImages,
  class: asImages,
  fontFamily: 'ui-sans-serif, system-ui, sans-serif',
  // Options that directives in a diagram can't change.
  secure: [
    'secure',
    'securityLevel',
    'startOnLoad',
    'maxTextSize',
    'maxEdges',
    'suppressErrorRendering',
    'htmlLabels',
    'flowchart',
    'class',
    'fontFamily',
    'altFontFamily',
    'themeCSS',
    'dompurifyConfig',
  ],
});

let count = 0;

answerRequests(async (code) => {
  count += 1;
  const { svg } = await mermaid.render(`diagram-${count}`, code);
  return tryImage(cleanSvg(svg));
});
