import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { useStore } from '../../api/store.ts';
import { showError } from '../../ui/toasts.ts';
import { newestLeaf, siblingsOf } from './conversations/branches.ts';
import {
  blobQuery,
  branchQuery,
  treeQuery,
  type ConversationTree,
  type InputPart,
} from './conversations/conversation-queries.ts';
import { readDataUrl } from './composer/attachments.ts';
import { withoutProjectParts } from './messages/message-parts.ts';
import { runningTurn, storedTurn, type Turn } from './messages/turn.ts';
import { continueRun, followResponse, removeRun, runs, startRun } from './runs/run-store.ts';
import type { Run } from './runs/run.ts';
import type { ConversationSettings } from './settings/conversation-settings.ts';
import { toChatBody, toContinueBody, toInput } from './settings/to-chat-body.ts';

/** The shown branch: the branch that ends with a leaf, or the branch that a run continues. */
interface View {
  readonly conversationId: string | undefined;
  /** Id of the message in the URL. */
  readonly messageId: string | undefined;
  readonly leaf?: string;
  readonly runKey?: string;
}

interface StartExtras {
  /** Called if the server refuses the message. */
  readonly onRefused?: (() => void) | undefined;
  /** True if the conversation is deleted when the user leaves it. */
  readonly isTemporary?: boolean;
  /** Id of the project for a new conversation. */
  readonly projectId?: string | undefined;
}

const noNodes: ConversationTree['responses'] = [];
const noTurns: readonly Turn[] = [];

/**
 * The shown branch of a conversation, and the actions on it.
 *
 * @param address Run of a new conversation (its key or response id), or id of the message to show.
 */
export function useConversation(
  conversationId: string | undefined,
  { run: runName, message: messageId }: { readonly run?: string; readonly message?: string },
) {
  const place = useMemo(() => ({ conversationId, messageId }), [conversationId, messageId]);
  const [chosen, setView] = useState<View>(place);
  const isHere = chosen.conversationId === conversationId && chosen.messageId === messageId;
  const { data: tree, isLoading: isTreeLoading } = useQuery({
    ...treeQuery(conversationId ?? ''),
    enabled: conversationId !== undefined,
    throwOnError: (_, query) => query.state.data === undefined,
  });
  const nodes = useMemo(
    () => tree?.responses.filter(({ deleted }) => deleted !== true) ?? noNodes,
    [tree],
  );
  const named = useMemo(
    () =>
      messageId !== undefined && nodes.some(({ response_id: id }) => id === messageId)
        ? { leaf: newestLeaf(nodes, messageId) }
        : {},
    [nodes, messageId],
  );
  const view: View =
    isHere && (chosen.leaf ?? chosen.runKey) !== undefined ? chosen : { ...place, ...named };
  const ownRuns = useOwnRuns(conversationId, runName);
  useEffect(() => {
    const isResponse = runName?.startsWith('resp_') === true;
    if (conversationId === undefined && isResponse) followResponse(runName);
  }, [conversationId, runName]);
  const run = shownRun(ownRuns, view);
  const leaf = run === undefined ? (view.leaf ?? tree?.last_response_id ?? null) : run.previousId;
  const { turns: stored, isLoading: isBranchLoading } = useStoredTurns(tree, leaf);
  const turns = useMemo(
    () => (run === undefined ? stored : [...stored, runningTurn(run)]),
    [stored, run],
  );

  useReplacedByStored(ownRuns, tree, (ended, responseId) => {
    if (run?.key !== ended.key) return;
    setView((now) =>
      // In the meantime, the user may have sent the next message or chosen another branch.
      now.conversationId === conversationId && showsOther(now, ended.key)
        ? now
        : { ...place, leaf: responseId },
    );
  });

  const start = useCallback(
    async (
      previousId: string | null,
      parts: readonly InputPart[],
      settings: ConversationSettings,
      { onRefused, isTemporary = false, projectId }: StartExtras = {},
    ) => {
      const { model } = settings;
      if (model === undefined) return undefined;
      const input = await toInput(withoutProjectParts(parts), loadImage);
      const body = toChatBody({ ...settings, model }, input, {
        previousId,
        conversationId,
        projectId,
        isTemporary,
      });
      const started = startRun({
        conversationId,
        previousId,
        input: parts,
        body,
        onRefused,
        isTemporary,
      });
      if (conversationId !== undefined) setView({ ...place, runKey: started.key });
      return conversationId === undefined ? started : undefined;
    },
    [conversationId, place],
  );

  const continueAnswer = useCallback(
    (turn: Turn, settings: ConversationSettings) => {
      const { responseId, previousId, model, input, items } = turn;
      if (responseId === undefined) return;
      const body = toContinueBody(settings, model);
      const answer = { conversationId, previousId, model, input, items };
      const { key } = continueRun({ ...answer, responseId, body });
      setView({ ...place, runKey: key });
    },
    [conversationId, place],
  );

  return {
    title: tree?.title ?? '',
    tree,
    turns,
    /** The answer that is being written in the shown branch. */
    run: run !== undefined && run.phase.kind !== 'ended' ? run : undefined,
    isLoading: isTreeLoading || isBranchLoading,
    branchOf: (turn: Turn) => branchOf(nodes, ownRuns, turn),
    /** The responses of all branches, oldest first, without deleted ones. */
    nodes,
    /** Shows the branch that ends with this response. */
    showBranch: (end: string) => setView({ ...place, leaf: end }),
    chooseBranch: (turn: Turn, position: number) => {
      const sibling = siblingsOf(nodes, turn.previousId)[position];
      if (sibling !== undefined) {
        setView({ ...place, leaf: newestLeaf(nodes, sibling.response_id) });
        return;
      }
      const beside = newRunsBeside(nodes, ownRuns, turn.previousId);
      const runKey = beside[position - siblingsOf(nodes, turn.previousId).length]?.key;
      if (runKey !== undefined) setView({ ...place, runKey });
    },
    /** Shows the rest of the branch after its last turn was deleted. */
    showWithout: ({ responseId, previousId }: Turn) => {
      if (responseId !== leaf) return;
      setView(previousId === null ? place : { ...place, leaf: previousId });
    },
    continueAnswer,
    /** Sends a message after a response; returns the run if it begins a new conversation. */
    start,
    /** Id of the response that the next message continues. A refused message has no response, so its predecessor is used. */
    lastId: turns.at(-1)?.responseId ?? turns.at(-1)?.previousId ?? null,
    /** The message that the server refused, if the branch ends with one. */
    refused: isRefused(run) ? run : undefined,
  };
}

function isRefused(run: Run | undefined): boolean {
  return run?.phase.kind === 'ended' && run.responseId === undefined;
}

function showsOther({ leaf, runKey }: View, key: string): boolean {
  return leaf !== undefined || (runKey !== undefined && runKey !== key);
}

function useOwnRuns(conversationId: string | undefined, runName: string | undefined) {
  const all = useStore(runs);
  return useMemo(
    () =>
      all.filter((run) =>
        conversationId === undefined
          ? run.key === runName || (runName !== undefined && run.responseId === runName)
          : run.conversationId === conversationId,
      ),
    [all, conversationId, runName],
  );
}

function shownRun(ownRuns: readonly Run[], view: View): Run | undefined {
  if (view.runKey !== undefined) return ownRuns.find(({ key }) => key === view.runKey);
  return view.leaf === undefined ? ownRuns.at(-1) : undefined;
}

function useStoredTurns(tree: ConversationTree | undefined, leaf: string | null) {
  const isKnown = tree !== undefined && leaf !== null;
  const { data, isLoading } = useQuery({
    ...(isKnown ? branchQuery(tree, leaf) : { queryKey: ['no-branch'], queryFn: () => [] }),
    enabled: isKnown,
    throwOnError: true,
    // Shows the previous branch of the same conversation until this one is loaded.
    placeholderData: (previous, query) =>
      query?.queryKey[2] === tree?.conversation_id ? previous : undefined,
  });
  const turns = useMemo(
    () => (isKnown ? (data?.map(storedTurn) ?? noTurns) : noTurns),
    [data, isKnown],
  );
  return { turns, isLoading };
}

/** Removes runs whose responses are stored, once the stored responses are loaded. */
function useReplacedByStored(
  ownRuns: readonly Run[],
  tree: ConversationTree | undefined,
  onReplaced: (run: Run, responseId: string) => void,
): void {
  useEffect(() => {
    if (tree === undefined) return;
    for (const run of ownRuns) {
      const { key, responseId, phase } = run;
      const isStored = tree.responses.some(({ response_id: id }) => id === responseId);
      if (responseId === undefined || phase.kind !== 'ended' || !isStored) continue;
      const replace = async () => {
        await queryClient.ensureQueryData(branchQuery(tree, responseId));
        onReplaced(run, responseId);
        removeRun(key);
      };
      replace().catch(showError);
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the callback changes with each render
  }, [ownRuns, tree]);
}

/** Runs that are siblings of stored responses and are not stored yet. */
function newRunsBeside(
  nodes: ConversationTree['responses'],
  ownRuns: readonly Run[],
  previousId: string | null,
): readonly Run[] {
  const siblings = siblingsOf(nodes, previousId);
  return ownRuns.filter(
    (run) =>
      run.previousId === previousId &&
      siblings.every(({ response_id: id }) => id !== run.responseId),
  );
}

function branchOf(nodes: ConversationTree['responses'], ownRuns: readonly Run[], turn: Turn) {
  const siblings = siblingsOf(nodes, turn.previousId);
  const beside = newRunsBeside(nodes, ownRuns, turn.previousId);
  const stored = siblings.findIndex(({ response_id: id }) => id === turn.responseId);
  const running = beside.findIndex(({ key }) => key === turn.run?.key);
  return {
    position: stored === -1 ? siblings.length + Math.max(0, running) : stored,
    total: siblings.length + beside.length,
  };
}

async function loadImage(sha256: string): Promise<string> {
  return readDataUrl(await queryClient.fetchQuery(blobQuery(sha256)));
}
