import { expect, it } from 'vitest';
import { readAdapterChoice, readAdapterNames } from './adapter-names.ts';

it('divides a name at its plus signs, the longest model first', () => {
  expect(readAdapterNames('me/base+me/pirate:0.5+soft')).toEqual([
    { model: 'me/base+me/pirate:0.5', suffix: '+soft', choices: [{ name: 'soft', scale: 1 }] },
    {
      model: 'me/base',
      suffix: '+me/pirate:0.5+soft',
      choices: [
        { name: 'me/pirate', scale: 0.5 },
        { name: 'soft', scale: 1 },
      ],
    },
  ]);
});

it.each(['me/base', 'me/command-r+', '+pirate', `base${'+a'.repeat(9)}`])(
  'finds no adapters in %s',
  (name) => expect(readAdapterNames(name)).toEqual([]),
);

it.each([
  ['pirate', ':', { name: 'pirate', scale: 1 }],
  ['pirate=-0.25', '=', { name: 'pirate', scale: -0.25 }],
  ['pirate:latest', ':', { name: 'pirate:latest', scale: 1 }],
  ['pirate:1e3', ':', { name: 'pirate:1e3', scale: 1 }],
  ['pirate:', ':', { name: 'pirate:', scale: 1 }],
] as const)('reads the scale of %s', (text, separator, choice) => {
  expect(readAdapterChoice(text, separator)).toEqual(choice);
});
