import createPurifier from 'dompurify';
import { answerRequests } from './frame-messages.ts';

/** Attributes with URLs that browsers load or navigate to. */
const addresses = new Set([
  'action',
  'background',
  'cite',
  'data',
  'formaction',
  'href',
  'ping',
  'poster',
  'src',
  'srcset',
  'xlink:href',
]);

const purifier = createPurifier(window);
purifier.addHook('uponSanitizeAttribute', (_, attribute) => {
  const isOwn = /^\s*(?:#|data:image\/)/i.test(attribute.attrValue);
  if (addresses.has(attribute.attrName) && !isOwn) attribute.keepAttr = false;
});

// Shows a page without its scripts and without external content.
answerRequests((code) => {
  document.documentElement.innerHTML = purifier.sanitize(code, { WHOLE_DOCUMENT: true });
  return '';
});
