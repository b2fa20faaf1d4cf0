import { expect, it } from 'vitest';
import { foldSeed } from '../../../engines/fold-seed.ts';
import { parseJson } from './parse-json.ts';

it.each<[string, unknown]>([
  ['{"seed": 7, "a": [1.5]}', { seed: 7, a: [1.5] }],
  ['{"seed" :\n6129484611666145821}', { seed: foldSeed(6129484611666145821n) }],
  ['{"options":{"seed":-9223372036854775808}}', { options: { seed: foldSeed(-(2n ** 63n)) } }],
  ['{"seed": 1e300}', { seed: 1e300 }],
  ['{"seed": 6129484611666145821.5}', { seed: Number('6129484611666145821.5') }],
  ['{"tools":[{"seed":6129484611666145821}]}', { tools: [{ seed: 6129484611666146000 }] }],
  [
    String.raw`{"seed":6129484611666145821,"text":"{\"seed\":6129484611666145821}","x":{"a\"seed":61294846116661458}}`,
    {
      seed: foldSeed(6129484611666145821n),
      text: '{"seed":6129484611666145821}',
      x: { 'a"seed': 61294846116661460 },
    },
  ],
  ['[{"seed":6129484611666145821}]', [{ seed: 6129484611666146000 }]],
  ['null', null],
])('reads %s', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
