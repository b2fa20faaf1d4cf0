import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { signIn } from '../../api/sign-in.ts';
import { developerTexts } from '../../texts/developer.ts';
import { texts } from '../../texts/texts.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CodeText } from '../../ui/code-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { messageOf } from '../../ui/toasts.ts';

const labels = developerTexts.open;

/** Exchanges the code of a link for a session of this browser. */
export function OpenPage() {
  const navigate = useNavigate();
  const [code] = useState(readCode);
  const [failure, setFailure] = useState(code === '' ? labels.noCode : undefined);
  const isStarted = useRef(false);
  useEffect(() => {
    const exchange = async () => {
      try {
        await signIn({ code });
        await navigate({ to: '/chat', search: {}, replace: true });
      } catch (error) {
        setFailure(failureText(error));
      }
    };
    // Removes the code from the URL, so that neither the history nor a bookmark keeps it.
    history.replaceState(history.state, '', '/open');
    // A code works only once.
    if (code === '' || isStarted.current) return;
    isStarted.current = true;
    void exchange();
  }, [code, navigate]);
  return (
    <Page title={labels.title}>
      {failure === undefined ? (
        <>
          <p className="text-sm text-muted">{labels.working}</p>
          <Skeleton lines={2} />
        </>
      ) : (
        <>
          <Notice tone="danger">{failure}</Notice>
          <CodeText text="hearth open" />
          <Link to="/chat" className={`${buttonClass()} self-start`}>
            {labels.toChat}
          </Link>
        </>
      )}
    </Page>
  );
}

function failureText(error: unknown): string {
  const code = error instanceof ApiError ? error.code : undefined;
  if (code === 'invalid_code') return labels.failed;
  return code === 'rate_limit_exceeded' ? texts.token.refused.tooMany : messageOf(error);
}

function readCode(): string {
  return new URLSearchParams(location.hash.slice(1)).get('code') ?? '';
}
