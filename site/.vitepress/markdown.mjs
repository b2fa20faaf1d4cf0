import highlighter from 'highlight.js';

/** A block of code in colors, by classes: the server allows no inline styles. Keys can scroll it. */
export function highlight(code, language) {
  const { value } = highlighter.getLanguage(language)
    ? highlighter.highlight(code, { language })
    : { value: escape(code) };
  return `<pre v-pre tabindex="0"><code>${value}</code></pre>`;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Pages that tell how Hearth became what it is: they would hide the others in the results of a search. */
const isHistory = (path) => /^(?:adr\/\d|changelog)/.test(path);

/** Aligns the cells of tables by a class, for the same reason, and lets wide tables be scrolled with the keyboard. */
export function addMarkdownRules({ renderer, core }) {
  core.ruler.push('search', ({ env }) => {
    if (isHistory(env.relativePath ?? '')) env.frontmatter = { ...env.frontmatter, search: false };
  });
  core.ruler.push('cells', ({ tokens }) => {
    for (const token of tokens) {
      const style = token.attrGet?.('style');
      if (style === null || style === undefined) continue;
      token.attrs = token.attrs.filter(([name]) => name !== 'style');
      token.attrJoin('class', style.replace('text-align:', 'align-'));
    }
  });
  renderer.rules.table_open = () => '<table tabindex="0">\n';
}
