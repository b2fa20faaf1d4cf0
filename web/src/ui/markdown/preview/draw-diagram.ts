import mermaid from 'mermaid';

let count = 0;

/**
 * A diagram of Mermaid as SVG without HTML, so that it can be an image.
 *
 * @throws Error if the text is not a diagram
 */
export async function drawDiagram(code: string, isDark: boolean): Promise<string> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: isDark ? 'dark' : 'default',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
    // Directives of the text can't change them.
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
  count += 1;
  const { svg } = await mermaid.render(`diagram-${count}`, code);
  return svg;
}
