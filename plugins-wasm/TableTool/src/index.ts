import { plugin } from 'vcp-plugin';
import { arrange, placeOf, type Arrangement } from './arrange.ts';
import { describeColumns } from './describe.ts';
import { readTable, type ReadOptions } from './read-table.ts';
import type { Alignment, Format } from './table.ts';
import { writeTable, type WriteOptions } from './write-table.ts';

type InspectArguments = ReadOptions & { readonly text: string };

type ConvertArguments = InspectArguments &
  Partial<Arrangement> & {
    readonly to: Format;
    readonly outputDelimiter: string;
    readonly outputHeader: boolean;
    readonly jsonRows: WriteOptions['jsonRows'];
    readonly inferTypes: boolean;
    readonly align?: Readonly<Record<string, Alignment>>;
  };

// Values that may be left out stand in the schemas of the manifest with their defaults.
export default plugin({
  Convert: ({ text, to, cells, select = [], where = [], sort = [], limit = null, ...options }: ConvertArguments) => {
    const { format, table, warnings } = readTable(text, { ...options, cells });
    const arranged = arrange(table, { select, where, sort, limit });
    const align = new Map(Object.entries(options.align ?? {}));
    for (const name of align.keys()) placeOf(arranged, name, `align.${name}`);
    const written = writeTable(arranged, {
      to,
      cells,
      align,
      delimiter: options.outputDelimiter,
      header: options.outputHeader,
      jsonRows: options.jsonRows,
      inferTypes: options.inferTypes,
    });
    return {
      data: {
        from: format,
        to,
        columns: [...arranged.columns],
        rowCount: arranged.rows.length,
        sourceRowCount: table.rows.length,
        text: written,
      },
      warnings: [...warnings],
    };
  },

  Inspect: ({ text, ...options }: InspectArguments) => {
    const { format, delimiter, table, warnings } = readTable(text, options);
    return {
      data: { format, delimiter, rowCount: table.rows.length, columns: describeColumns(table) },
      warnings: [...warnings],
    };
  },
});
