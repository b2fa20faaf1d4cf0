import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/queries.ts';
import { Flame } from '../../shell/brand.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export function ChatPage() {
  const { data } = useQuery(modelsQuery);
  return (
    <div className="mx-auto max-w-2xl px-6 py-16">
      <Flame size={40} />
      {data === undefined ? (
        <Skeleton />
      ) : (
        <ul>
          {data.models.map(({ key, display_name }) => (
            <li key={key}>{display_name}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
