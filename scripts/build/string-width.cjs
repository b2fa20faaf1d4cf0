// The regular expressions of string-width take tens of milliseconds to compile; ASCII text needs none of them.
const isPrintableAscii = (text) => /^[\x20-\x7e]*$/.test(text);
let stringWidth;

module.exports = (text) => {
  if (isPrintableAscii(text)) return text.length;
  stringWidth ??= require('string-width').default;
  return stringWidth(text);
};
