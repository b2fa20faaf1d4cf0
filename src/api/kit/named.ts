import * as z from 'zod';

/** Schemas with a name: the name of their component in the OpenAPI document. */

type Shape = z.core.$ZodLooseShape;

interface NamedObject<Config extends z.core.$ZodObjectConfig> {
  <Fields extends Shape>(
    id: string,
    fields: Fields,
  ): z.ZodObject<z.core.util.Writeable<Fields>, Config>;
  <Fields extends Shape>(
    id: string,
    examples: readonly unknown[],
    fields: Fields,
  ): z.ZodObject<z.core.util.Writeable<Fields>, Config>;
}

const naming = <Config extends z.core.$ZodObjectConfig>(
  create: (fields: Shape) => z.ZodObject<Shape, Config>,
) =>
  ((id: string, ...parts: readonly unknown[]) => {
    const fields = parts.at(-1) as Shape;
    return create(fields).meta({ id, ...(parts.length > 1 && { examples: parts[0] }) });
  }) as NamedObject<Config>;

export const object = naming<z.core.$strip>(z.object);
export const looseObject = naming<z.core.$loose>(z.looseObject);
export const strictObject = naming<z.core.$strict>(z.strictObject);

export const union = <const Options extends readonly z.core.SomeType[]>(
  id: string,
  options: Options,
) => z.union(options).meta({ id });

type Variant = z.core.$ZodTypeDiscriminable;

export const discriminatedUnion = <
  const Variants extends readonly [Variant, ...Variant[]],
  Key extends string,
>(
  id: string,
  key: Key,
  variants: Variants,
) => z.discriminatedUnion(key, variants).meta({ id });

/** An event. Its component is named after its type: `download.progress` is `DownloadProgressEvent`. */
export const event = <Type extends string, Fields extends Shape>(type: Type, fields: Fields) =>
  object(`${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`, {
    type: z.literal(type),
    ...fields,
  });
