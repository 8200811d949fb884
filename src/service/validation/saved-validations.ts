/** Stores validations as files in the data folder, `validations/ID.json`, so that they need no database. */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../contract/config.ts';
import { hasCode, ForensicsError } from '../../contract/errors.ts';
import { makePrivateFolder, replaceFile, systemCodeOf } from '../../ports/files/files.ts';
import type { Registry } from '../../inference/registry.ts';
import type { OwnValidation } from '../../present/report-item.ts';
import { citedAs } from './record.ts';
import { parseValidation, type Validation } from './validation.ts';

const idPattern = /^[0-9a-f]{24}$/;

export function openValidations({ dataDir }: Pick<Settings, 'dataDir'>) {
  const folder = join(dataDir, 'validations');
  const fileFor = (id: string) => join(folder, `${id}.json`);

  function ids(): readonly string[] {
    return namesIn(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter((id) => idPattern.test(id));
  }

  /** The id becomes part of a path, so nothing else may pass. */
  function known(id: string): string {
    if (idPattern.test(id) && ids().includes(id)) return fileFor(id);
    throw new ForensicsError(
      'validation_not_found',
      `There is no validation ${JSON.stringify(id.slice(0, 80))}; "forensics validate list" shows the existing ones.`,
    );
  }

  function find(id: string): Validation {
    return parseValidation(readFileSync(known(id), 'utf8'));
  }

  function findWhole(id: string): Validation | null {
    try {
      return find(id);
    } catch (error) {
      if (hasCode(error, 'evidence_damaged')) return null;
      throw error;
    }
  }

  return {
    /** @throws {ForensicsError} `validation_not_found`, `evidence_damaged`. */
    find,
    /** Writes the file atomically, readable by its owner only. @throws {ForensicsError} `config_invalid`. */
    save(validation: Validation) {
      makePrivateFolder(folder);
      replaceFile(fileFor(validation.id), `${JSON.stringify(validation, null, 2)}\n`);
    },
    /** Newest first; `damaged` lists the ids of files that cannot be parsed. */
    list: () => {
      const all = ids().map((id) => ({ id, validation: findWhole(id) }));
      const validations = all.flatMap(({ validation }) => validation ?? []);
      return {
        validations: validations.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
        damaged: all.filter(({ validation }) => validation === null).map(({ id }) => id),
      };
    },
    /** @throws {ForensicsError} `validation_not_found`. */
    remove: (id: string) => rmSync(known(id)),
  };
}

/**
 * The validation that reports cite according to the settings; null if none is set.
 *
 * @param model - id of the examining model, null for the default.
 * @throws {ForensicsError} `validation_not_found`, `evidence_damaged`; `conflict` if the validation measured another
 *   model, because a report must not claim its figures then.
 */
export async function citedValidation(
  settings: Pick<Settings, 'dataDir' | 'validation'>,
  registry: Registry,
  model: string | null = null,
): Promise<OwnValidation | null> {
  const { validation: id } = settings;
  if (id === null) return null;
  return citedAs(openValidations(settings).find(id), await registry.find(model));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw new ForensicsError(
      'file_not_readable',
      'The validations in the data folder cannot be read; run as the user who owns the folder.',
      { cause: error },
    );
  }
}
