import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { GitBranch, MessageCircleDashed, Search, SlidersHorizontal } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { modelName } from '../../api/model-name.ts';
import { modelsQuery } from '../../api/queries.ts';
import { useStore } from '../../api/store.ts';
import { useCommands } from '../../shell/commands.ts';
import { texts } from '../../texts/texts.ts';
import { classNames } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError } from '../../ui/toasts.ts';
import { whenIdle } from '../../ui/when-idle.ts';
import { Composer } from './composer/composer.tsx';
import { ToolsButton } from './composer/tools-button.tsx';
import { moveAttachments } from './composer/use-attachments.ts';
import { dropDraft, restoreDraft } from './composer/use-draft.ts';
import { changeAnswer, deleteTurn } from './conversations/change-answer.ts';
import type { InputPart } from './conversations/conversation-queries.ts';
import { hasBranches } from './conversations/branches.ts';
import { useFind } from './find/use-find.ts';
import { Greeting } from './greeting/greeting.tsx';
import { chatModels } from './model/model-queries.ts';
import type { Turn } from './messages/turn.ts';
import { ModelPicker } from './model/model-picker.tsx';
import { usePageCommands } from './page-commands.ts';
import { printRequest } from './print/print-request.ts';
import { removeRun, stopRun } from './runs/run-store.ts';
import type { Run } from './runs/run.ts';
import {
  moveSettings,
  newChatOf,
  newConversation,
  takeNewSettings,
} from './settings/conversation-settings.ts';
import { withPreset } from './settings/preset-values.ts';
import { useSettings } from './settings/use-settings.ts';
import { temporaryChats } from './temporary/temporary-chats.ts';
import { useConversation } from './use-conversation.ts';

const loadMessageList = async () => ({
  default: (await import('./messages/message-list.tsx')).MessageList,
});
const MessageList = lazy(loadMessageList);
const ContextNotice = lazy(async () => ({
  default: (await import('./context/context-notice.tsx')).ContextNotice,
}));
const BranchTree = lazy(async () => ({
  default: (await import('./branches/branch-tree.tsx')).BranchTree,
}));
const SettingsPanel = lazy(async () => ({
  default: (await import('./settings/settings-panel.tsx')).SettingsPanel,
}));
const PrintView = lazy(async () => ({
  default: (await import('./print/print-view.tsx')).PrintView,
}));
const ConfirmDialog = lazy(async () => ({
  default: (await import('../../ui/confirm-dialog.tsx')).ConfirmDialog,
}));

interface SendOptions {
  /** Called if the server refuses the message. */
  readonly onRefused?: (() => void) | undefined;
  /** Key of a model to use instead of the chosen one. */
  readonly model?: string | undefined;
}

/** Context length to assume for a model that is not loaded. */
const defaultContext = 4096;

/** Shows a stored conversation or a new one. */
export function ChatPage() {
  const { conversationId } = useParams({ strict: false });
  const address = useSearch({ strict: false });
  const { data } = useQuery(modelsQuery);
  const models = useMemo(() => chatModels(data?.models ?? []), [data]);
  const conversation = useConversation(conversationId, address);
  const { turns, run, start, lastId, tree, nodes, isLoading, refused } = conversation;
  const shown = turns.at(-1);
  const newKey = address.project === undefined ? newConversation : newChatOf(address.project);
  const settingsKey = conversationId ?? shown?.run?.settingsKey ?? newKey;
  const draftKey = conversationId ?? newKey;
  const [settings, setSettings] = useSettings(settingsKey, models, tree?.model ?? shown?.model);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const [isTreeOpen, setTreeOpen] = useState(false);
  const isBranched = useMemo(() => hasBranches(nodes), [nodes]);
  const model = models.find((each) => each.key === settings.model);

  const navigate = useNavigate();
  const chats = useStore(temporaryChats);
  const isPrivate = address.temporary === true || chats.some(({ id }) => id === conversationId);
  const send = (
    previousId: string | null,
    parts: readonly InputPart[],
    { onRefused, model: other }: SendOptions = {},
  ) => {
    const begin = async () => {
      const used = other === undefined ? settings : { ...settings, model: other };
      const started = await start(previousId, parts, used, {
        onRefused,
        isTemporary: isPrivate,
        projectId: address.project,
      });
      if (refused !== undefined) removeRun(refused.key);
      if (started === undefined) return;
      if (address.project === undefined) takeNewSettings(started.settingsKey, settings);
      else moveSettings(newKey, started.settingsKey);
      await navigate({ to: '/chat', search: { ...address, run: started.key } });
    };
    begin().catch(showError);
  };
  const sendDraft = (parts: readonly InputPart[]) => {
    const words = textOf(parts);
    send(lastId, parts, {
      onRefused: words === undefined ? undefined : () => restoreDraft(draftKey, words),
    });
  };
  const retry = ({ previousId, input }: Turn, other?: string) => {
    const words = textOf(input);
    if (words !== undefined) dropDraft(draftKey, words);
    send(previousId, input, { model: other });
  };
  const [deleting, setDeleting] = useState<Turn>();
  const remove = async (turn: Turn) => {
    if (turn.run !== undefined) removeRun(turn.run.key);
    if (turn.responseId === undefined) return;
    conversation.showWithout(turn);
    const isLast = nodes.length === 1;
    if (isLast) await navigate({ to: '/chat', search: {} });
    await deleteTurn(turn.responseId);
  };
  const choices = useMemo(
    () => models.map((each) => ({ key: each.key, name: modelName(each) })),
    [models],
  );
  const nameOf = (key: string) => choices.find((each) => each.key === key)?.name ?? key;
  useNewConversation(conversationId === undefined ? shown?.run : undefined, address.project);
  useTitle(conversation.title);
  // Loads the list after the first view, so that the first message need not wait for it. If that fails, it is loaded
  // when needed.
  useEffect(() => whenIdle(() => void loadMessageList().catch(() => undefined)), []);
  const [find, openFind, closeFind] = useFind(conversationId, address);
  const printed = useStore(printRequest);
  const isPrinted = printed !== undefined && printed === conversationId && turns.length > 0;
  useEffect(
    () => () => printRequest.set((id) => (id === conversationId ? undefined : id)),
    [conversationId],
  );
  useCommands(usePageCommands(run, turns.length === 0 ? undefined : openFind, conversationId));

  const contextLength = model?.loaded_instances[0]?.config.context_length;
  const lastStats = shown?.stats;
  const usedTokens =
    lastStats === undefined ? 0 : lastStats.input_tokens + lastStats.total_output_tokens;
  return (
    <div className={classNames('flex h-full flex-col', isPanelOpen && 'lg:pe-96')}>
      <header className="flex items-center gap-1 border-b px-2 py-1.5 md:px-4">
        <ModelPicker
          chosen={settings.model}
          contextLength={settings.contextLength}
          onChoose={(chosen) => setSettings({ ...settings, model: chosen })}
          onPreset={(preset) => setSettings(withPreset(preset, settings.model))}
        />
        <span dir="auto" className="min-w-0 flex-1 truncate text-center text-sm text-muted">
          {conversation.title}
        </span>
        {isBranched && (
          <IconButton
            icon={GitBranch}
            label={texts.chat.showBranches}
            onClick={() => setTreeOpen(true)}
          />
        )}
        {conversationId === undefined && turns.length === 0 && (
          <IconButton
            icon={MessageCircleDashed}
            label={texts.chat.temporary.label}
            aria-pressed={isPrivate}
            className={isPrivate ? '!bg-accent-soft !text-accent' : ''}
            onClick={() =>
              void navigate({ to: '/chat', search: isPrivate ? {} : { temporary: true } })
            }
          />
        )}
        {turns.length > 0 && (
          <IconButton icon={Search} label={texts.chat.find.label} onClick={openFind} />
        )}
        <IconButton
          icon={SlidersHorizontal}
          label={texts.settings.title}
          aria-expanded={isPanelOpen}
          onClick={() => setPanelOpen(!isPanelOpen)}
        />
      </header>
      {isPrivate && turns.length > 0 && (
        <p role="status" className="border-b bg-accent-soft px-4 py-1.5 text-center text-sm">
          {texts.chat.temporary.hint}
        </p>
      )}
      {isLoading ? (
        <MessagesSkeleton />
      ) : turns.length === 0 ? (
        <Greeting
          models={data === undefined ? undefined : models}
          chosen={model}
          hint={isPrivate ? texts.chat.temporary.hint : texts.chat.greetingHint}
          onChooseModel={(chosen) => setSettings({ ...settings, model: chosen })}
          onSend={(text) => send(null, [{ type: 'text', content: text }])}
        />
      ) : (
        <Suspense fallback={<MessagesSkeleton />}>
          <MessageList
            key={draftKey}
            turns={turns}
            modelNameOf={({ model: used }) => nameOf(used)}
            branchOf={conversation.branchOf}
            contextLengthOf={(turn) => (turn.model === model?.key ? contextLength : undefined)}
            isBusy={run !== undefined}
            find={find}
            onFindEnd={closeFind}
            onEdit={(turn, input) => send(turn.previousId, input)}
            models={choices}
            onRetry={(turn, other) => {
              if (turn.run !== undefined) removeRun(turn.run.key);
              retry(turn, other);
            }}
            onContinue={(turn) => conversation.continueAnswer(turn, settings)}
            onEditAnswer={({ responseId }, text) => {
              if (responseId !== undefined) changeAnswer(responseId, text).catch(showError);
            }}
            onDelete={setDeleting}
            onChooseBranch={conversation.chooseBranch}
          />
        </Suspense>
      )}
      {contextLength !== undefined && usedTokens > 0.85 * contextLength && (
        <Suspense>
          <ContextNotice
            usedTokens={usedTokens}
            contextLength={contextLength}
            turns={turns}
            settings={settings}
            isBusy={run !== undefined}
            onChange={setSettings}
            onContinue={send}
          />
        </Suspense>
      )}
      <Composer
        draftKey={draftKey}
        isRunning={run !== undefined}
        isDisabled={settings.model === undefined}
        hasVision={model?.capabilities?.vision !== false}
        hasHearing={model?.capabilities?.audio === true}
        freeTokens={(settings.contextLength ?? contextLength ?? defaultContext) - usedTokens}
        actions={<ToolsButton settings={settings} onChange={setSettings} />}
        onSend={sendDraft}
        onStop={() => run !== undefined && void stopRun(run)}
      />
      {deleting !== undefined && (
        <Suspense>
          <ConfirmDialog
            isOpen
            onClose={() => setDeleting(undefined)}
            title={texts.chat.deleteTurnTitle}
            description={texts.chat.deleteTurnHint}
            action={texts.app.delete}
            onConfirm={() => void remove(deleting).catch(showError)}
          />
        </Suspense>
      )}
      {isPrinted && (
        <Suspense>
          <PrintView
            title={conversation.title}
            turns={turns}
            modelNameOf={({ model: used }) => nameOf(used)}
            onEnd={() => printRequest.set(undefined)}
          />
        </Suspense>
      )}
      {isTreeOpen && (
        <Suspense>
          <BranchTree
            nodes={nodes}
            leaf={lastId}
            onChoose={conversation.showBranch}
            onClose={() => setTreeOpen(false)}
          />
        </Suspense>
      )}
      {isPanelOpen && (
        <Suspense>
          <SettingsPanel
            isOpen
            onClose={() => setPanelOpen(false)}
            settings={settings}
            onChange={setSettings}
            reasoningLevels={model?.capabilities?.reasoning?.allowed_options ?? []}
            defaultReasoning={model?.capabilities?.reasoning?.default}
            maxContextLength={model?.max_context_length}
          />
        </Suspense>
      )}
    </div>
  );
}

function MessagesSkeleton() {
  return (
    <div className="mx-auto w-full max-w-3xl flex-1 px-6 py-10">
      <Skeleton lines={8} />
    </div>
  );
}

/** Navigates from a new conversation to its stored one once the first answer is stored. */
function useNewConversation(run: Run | undefined, project: string | undefined): void {
  const navigate = useNavigate();
  const { responseId, conversationId, isTemporary } = run ?? {};
  useEffect(() => {
    if (conversationId !== undefined) {
      moveAttachments(project === undefined ? newConversation : newChatOf(project), conversationId);
      void navigate({ to: '/chat/$conversationId', params: { conversationId }, replace: true });
    } else if (responseId !== undefined) {
      const search = {
        run: responseId,
        ...(isTemporary === true ? ({ temporary: true } as const) : {}),
        ...(project === undefined ? {} : { project }),
      };
      void navigate({ to: '/chat', search, replace: true });
    }
  }, [responseId, conversationId, isTemporary, project, navigate]);
}

/** The user's text, which follows the documents of a message. */
function textOf(parts: readonly InputPart[]): string | undefined {
  return parts.flatMap((part) => (part.type === 'text' ? part.content : [])).at(-1);
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? texts.app.name : `${title} · ${texts.app.name}`;
    return () => {
      document.title = texts.app.name;
    };
  }, [title]);
}
