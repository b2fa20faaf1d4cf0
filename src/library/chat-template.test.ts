import { describe, expect, it } from 'vitest';
import { HearthError } from '../kernel/errors/errors.ts';
import { assertChatTemplate } from './chat-template.ts';

describe('assertChatTemplate', () => {
  it.each([
    'plain',
    "{%- for message in messages -%}\n  {{- message['role'] + ': ' + message.content | trim }}\n{%- endfor %}",
    "{% if not messages %}{{ raise_exception('empty') }}{% endif %}{# note #}",
  ])('accepts %s', (template) => {
    expect(() => assertChatTemplate(template)).not.toThrow();
  });

  it.each(['{% for x %}', '{{ x', '{% if x %}', '{% if x %}'.repeat(6000)])(
    'refuses what is not Jinja: %s',
    (template) => {
      expect(() => assertChatTemplate(template)).toThrow(HearthError);
    },
  );

  it.each([' ', '\n  ', '(', 'a{{x}}', '{#', '{%-', '{{ "\\\\'])(
    'reads 65,536 characters of %j soon',
    (part) => {
      const startedAt = performance.now();
      const template = `{{ ${part.repeat(65_536 / part.length)} {%- x`;
      expect(() => assertChatTemplate(template)).toThrow(HearthError);
      expect(performance.now() - startedAt).toBeLessThan(2000);
    },
  );
});
