import { Link, useRouter } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { ApiError } from '../api/api-error.ts';
import { texts } from '../texts/texts.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { messageOf } from '../ui/toasts.ts';

/** Replaces a page that failed; the rest of the app keeps working. */
export function PageError({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <div
      role="alert"
      className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-24 text-center"
    >
      <TriangleAlert size={28} aria-hidden className="text-danger" />
      <h1 className="text-lg font-semibold">{texts.errors.title}</h1>
      <p className="text-sm break-words text-muted">{messageOf(error)}</p>
      {error instanceof ApiError && error.requestId !== undefined && (
        <p className="font-mono text-xs text-muted">
          {texts.errors.requestId({ id: error.requestId })}
        </p>
      )}
      <div className="flex gap-2">
        <Button onClick={() => void router.invalidate()}>{texts.app.retry}</Button>
        <Button onClick={() => location.reload()}>{texts.errors.reload}</Button>
        <Link to="/chat" search={{}} className={buttonClass({})}>
          {texts.errors.toChat}
        </Link>
      </div>
    </div>
  );
}
