/** Exports in the formats of other apps. */

const message = (id: string, role: string, content: object, more: object = {}) => ({
  id,
  author: { role, name: null, metadata: {} },
  create_time: 1_730_540_000.25,
  content,
  status: 'finished_successfully',
  recipient: 'all',
  metadata: {},
  ...more,
});
const text = (...parts: readonly unknown[]) => ({ content_type: 'text', parts });
const node = (
  id: string,
  parent: string | null,
  children: readonly string[],
  value: object | null,
) => ({
  id,
  parent,
  children,
  message: value,
});

/** A question with two answers: the first has code and its output, the second was shown. */
export const chatgptExport = [
  {
    title: 'Tides',
    create_time: 1_730_540_000.5,
    update_time: 1_730_540_100,
    conversation_id: '0b0f3c1e-tides',
    default_model_slug: 'gpt-4o',
    current_node: 'answer-b',
    mapping: {
      root: node('root', null, ['system'], null),
      system: node('system', 'root', ['ask'], message('system', 'system', text(''))),
      ask: node(
        'ask',
        'system',
        ['thoughts', 'answer-b'],
        message(
          'ask',
          'user',
          {
            content_type: 'multimodal_text',
            parts: [
              { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_1', width: 4 },
              'Why are there tides?',
            ],
          },
          {
            metadata: {
              attachments: [
                { name: 'chart.png', mime_type: 'image/png' },
                { name: 'tides.xlsx', mime_type: 'application/vnd.ms-excel' },
              ],
            },
          },
        ),
      ),
      thoughts: node(
        'thoughts',
        'ask',
        ['code'],
        message('thoughts', 'assistant', {
          content_type: 'thoughts',
          thoughts: [{ summary: 'The moon', content: 'It pulls.' }],
        }),
      ),
      code: node(
        'code',
        'thoughts',
        ['output'],
        message(
          'code',
          'assistant',
          { content_type: 'code', language: 'python', text: 'print(1)' },
          {
            recipient: 'python',
            metadata: { model_slug: 'o3' },
          },
        ),
      ),
      output: node(
        'output',
        'code',
        ['answer-a'],
        message('output', 'tool', { content_type: 'execution_output', text: '1' }),
      ),
      'answer-a': node(
        'answer-a',
        'output',
        [],
        message('answer-a', 'assistant', text('The moon pulls\ue200cite\ue202turn0\ue201.')),
      ),
      'answer-b': node(
        'answer-b',
        'ask',
        [],
        message('answer-b', 'assistant', text('Because of the moon.'), {
          metadata: { model_slug: 'gpt-4o' },
        }),
      ),
    },
  },
];

/** A question with a file, an answer with reasoning and an artifact, and an edited question. */
export const claudeExport = [
  {
    uuid: 'chat-1',
    name: 'Sea poem',
    created_at: '2025-05-01T10:00:00.000000Z',
    updated_at: '2025-05-01T10:05:00.000000Z',
    account: { uuid: 'account' },
    chat_messages: [
      {
        uuid: 'm1',
        parent_message_uuid: '00000000-0000-4000-8000-000000000000',
        sender: 'human',
        text: 'Write a poem.',
        content: [{ type: 'text', text: 'Write a poem.' }],
        created_at: '2025-05-01T10:00:00.000000Z',
        attachments: [
          { file_name: 'notes.md', file_size: 7, file_type: 'md', extracted_content: '# Waves' },
        ],
        files: [{ file_name: 'photo.jpg' }],
      },
      {
        uuid: 'm2',
        parent_message_uuid: 'm1',
        sender: 'assistant',
        text: '',
        content: [
          { type: 'thinking', thinking: 'A short one.' },
          { type: 'text', text: 'Here it is.' },
          {
            type: 'tool_use',
            name: 'artifacts',
            input: { command: 'create', title: 'Poem', content: 'Foam\nfolds', language: 'text' },
          },
          { type: 'tool_result', name: 'artifacts', content: [{ type: 'text', text: 'OK' }] },
        ],
        created_at: '2025-05-01T10:01:00.000000Z',
        attachments: [],
        files: [],
      },
      {
        uuid: 'm3',
        parent_message_uuid: '00000000-0000-4000-8000-000000000000',
        sender: 'human',
        text: 'Write a haiku.',
        content: [],
        created_at: '2025-05-01T10:02:00.000000Z',
        attachments: [],
        files: [],
      },
    ],
  },
];

/** A question with two answers of different models, one with reasoning; the first was shown. */
export const openWebuiExport = [
  {
    id: 'chat-1',
    user_id: 'user',
    title: 'Colors',
    chat: {
      title: 'Colors',
      models: ['llama3.2:3b'],
      params: { system: 'Be brief.' },
      history: {
        currentId: 'a1',
        messages: {
          u1: {
            id: 'u1',
            parentId: null,
            childrenIds: ['a1', 'a2'],
            role: 'user',
            content: 'Which colors has the sea?',
            timestamp: 1_740_000_000,
            files: [
              { type: 'file', name: 'sea.txt', file: { data: { content: 'Blue and green.' } } },
              { type: 'image', url: 'data:image/png;base64,AA==' },
            ],
          },
          a1: {
            id: 'a1',
            parentId: 'u1',
            childrenIds: [],
            role: 'assistant',
            model: 'llama3.2:3b',
            content:
              '<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n&gt; Blue &amp; green\n&gt; it is\n</details>\nBlue and green.',
            timestamp: 1_740_000_010,
          },
          a2: {
            id: 'a2',
            parentId: 'u1',
            childrenIds: [],
            role: 'assistant',
            model: 'qwen3:4b',
            content: 'Blue.',
            timestamp: 1_740_000_020,
          },
        },
      },
    },
    created_at: 1_740_000_000,
    updated_at: 1_740_000_020,
  },
];

const step = (content: string, more: object = {}) => ({
  type: 'contentBlock',
  stepIdentifier: '1-0.5',
  content: [
    { type: 'text', text: content.slice(0, 4) },
    { type: 'text', text: content.slice(4) },
  ],
  ...more,
});

/** A question, and two versions of its answer, of which the first was shown and continued. */
export const lmStudioExport = {
  name: 'Greeting',
  pinned: false,
  createdAt: 1_750_000_000_000,
  systemPrompt: 'You are kind.',
  lastUsedModel: { identifier: 'qwen3-4b', indexedModelIdentifier: 'qwen/qwen3-4b' },
  messages: [
    {
      currentlySelected: 0,
      versions: [
        {
          type: 'singleStep',
          role: 'user',
          content: [
            { type: 'text', text: 'Hello' },
            { type: 'file', fileIdentifier: '17.pdf', fileType: 'pdf', name: 'letter.pdf' },
          ],
        },
      ],
    },
    {
      currentlySelected: 0,
      versions: [
        {
          type: 'multiStep',
          role: 'assistant',
          senderInfo: { senderName: 'qwen3-4b' },
          steps: [
            step('<think>A greeting.</think>', { style: { type: 'thinking', ended: true } }),
            step('Hello there!', { genInfo: { indexedModelIdentifier: 'qwen/qwen3-4b' } }),
            { type: 'debugInfoBlock', debugInfo: 'x' },
          ],
        },
        { type: 'multiStep', role: 'assistant', steps: [step('Good day.')] },
      ],
    },
    {
      currentlySelected: 0,
      versions: [
        { type: 'singleStep', role: 'user', content: [{ type: 'text', text: 'And goodbye' }] },
      ],
    },
  ],
};
