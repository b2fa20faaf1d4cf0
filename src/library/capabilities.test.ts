import { expect, test } from 'vitest';
import { templateCapabilities } from './capabilities.ts';
import { readGgufHeader } from './gguf/header.ts';

const switchable = { allowedOptions: ['off', 'on'], default: 'on' };
const alwaysOn = { allowedOptions: ['on'], default: 'on' };
const levels = { allowedOptions: ['low', 'medium', 'high'], default: 'medium' };

const chatMl = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message['content'] }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const llama3 = `{{- bos_token }}{%- if tools is not none %}
{{- "Environment: ipython. You have these functions:\\n" }}
{%- for tool in tools %}{{- tool | tojson(indent=4) }}{%- endfor %}{%- endif %}
{%- for message in messages %}{{- message.content }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>' }}{%- endif %}`;

const qwen3 = `{%- if tools %}{{- '# Tools' }}{%- for tool in tools %}{{- tool | tojson }}{%- endfor %}{%- endif %}
{%- for message in messages %}{%- if '</think>' in message.content %}
{%- set content = message.content.split('</think>')[-1] %}{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}`;

const gptOss = `{%- if reasoning_effort is not defined %}{%- set reasoning_effort = "medium" %}{%- endif %}
{{- "Reasoning: " + reasoning_effort }}{%- if tools %}{{- render(tools) }}{%- endif %}
{%- for message in messages %}{{- message.thinking }}{{- message.content }}{%- endfor %}`;

const deepSeekR1 = `{% for message in messages %}{% if message['tool_calls'] %}{{ 'call' }}{% endif %}
{% set content = message['content'].split('</think>')[-1] %}{{ content }}{% endfor %}
{% if add_generation_prompt and not ns.is_tool %}{{'<｜Assistant｜><think>\\n'}}{% endif %}`;

const firstDeepSeekR1 = deepSeekR1.replace('<think>', '');
const offUnlessAsked = qwen3.replace('is false', 'is true');

test.each([
  ['ChatML', chatMl, false, null],
  ['Llama 3', llama3, true, null],
  ['Qwen3', qwen3, true, switchable],
  ['a switch that is off by default', offUnlessAsked, true, { ...switchable, default: 'off' }],
  ['gpt-oss', gptOss, true, levels],
  ['DeepSeek-R1', deepSeekR1, false, alwaysOn],
  ['the first DeepSeek-R1', firstDeepSeekR1, false, alwaysOn],
  ['no template', null, false, null],
  ['an empty one', '', false, null],
])('%s', (_name, template, isTrainedForToolUse, reasoning) => {
  expect(templateCapabilities(template)).toEqual({ isTrainedForToolUse, reasoning });
});

test.each([
  ['{%- set enable_thinking = false %}{% if enable_thinking %}', 'off'],
  ['{% if enable_thinking is not defined %}{% set enable_thinking = True %}{% endif %}', 'on'],
  ["{% if enable_thinking | default(true) %}{{ '<think>' }}{% endif %}", 'on'],
  ["{{ '/nothink' if enable_thinking is defined and not enable_thinking else '' }}", 'on'],
  ["{% if enable_thinking is undefined or enable_thinking %}{{ '<think>' }}{% endif %}", 'on'],
  ["{% if enable_thinking %}{{ '<think>' }}{% endif %}", 'off'],
])('%s thinks by default: %s', (template, expected) => {
  expect(templateCapabilities(template).reasoning?.default).toBe(expected);
});

test('ignores words in texts, comments and fields', () => {
  const template = `You may use tools. {# tools, enable_thinking #}{{ 'tools enable_thinking' }}
{{ message.tools }}{% if "it's {% if tools %}" %}{% endif %}`;
  expect(templateCapabilities(template)).toEqual({ isTrainedForToolUse: false, reasoning: null });
});

test('ignores a switch with another name', () => {
  const template = `{% if not thinking %}{{ '</think>' }}{% endif %}{% if add_generation_prompt %}{{ '<think>' }}{% endif %}`;
  expect(templateCapabilities(template).reasoning).toBeNull();
});

test('a starter model: tools, and thinking that can be switched off', async () => {
  const { metadata } = await readGgufHeader(
    'models/starter/starter-chat/starter-chat-q8_0.gguf',
    new AbortController().signal,
  );
  const template = String(metadata.values.get('tokenizer.chat_template'));
  expect(templateCapabilities(template)).toEqual({
    isTrainedForToolUse: true,
    reasoning: switchable,
  });
});

test.each(['{%', '{{', "{{ '", "{{ '\\", '{% set enable_thinking = ', '<think> '])(
  'a template of 500,000 characters of %j is read in one pass',
  (piece) => {
    // If the scan passed over the text again for each piece, this would take minutes.
    expect(templateCapabilities(piece.repeat(500_000 / piece.length))).toEqual(
      templateCapabilities(piece),
    );
  },
);
