import * as fc from 'fast-check';

/** Text that the passes look for, complete and broken. */
const pieces =
  '< > </ <b </b> <b> <p> <!-- --> <script> </script> <style <![CDATA[ ]]> = " \' & &amp; &lt; &gt; amp; lt; &#128512; &#10; &#91; [ ] ( ) （ ） ]( ![ http:// https://a.b ftp:// :// www. w ww. . , ! ? * ** *** sighs laughs softly very speaker Speaker 1: 2: 5: : 😀 👍🏽 ❤ \u200d \ufe0f \u20e3 🇩 🇪 1 # © \u200c \u200b \ufeff “ ” ’ « » 「 」 a é 好 { } { "speaker":1,"text":"a"} /'.split(
    ' ',
  );
/** Half a surrogate pair, and white space. */
const blanks = ['\ud83d', ' ', '  ', '\t', '\n', '\r\n', '\u2028', '\u00a0', '\u0085', '\0'];

/** Texts designed to confuse the formatter; at least one character long. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc
    .array(fc.constantFrom(...pieces, ...pieces, ...blanks), { minLength: 1, maxLength: 40 })
    .map((parts) => parts.join('')),
);
