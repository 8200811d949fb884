/** Completion for PowerShell 5.1 and later. */

import { type Place, type Value, valuedFlags, wordOf } from './tree.ts';

export function powershellScript(places: readonly Place[]): string {
  return `# Completion of forensics for PowerShell. Try it with: forensics completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName forensics -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # What stands after a command: its commands, its options, and what its argument may be.
    $places = @{
${places.map(placeEntry).join('\n')}
    }
    # What the value of an option may be; others take none.
    $values = @{
${valuedFlags(places).map(valueEntry).join('\n')}
    }

    $place = ''
    $option = ''
    $onlyArguments = $false
    $before = $commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition }
    foreach ($element in $before) {
        $word = $element.Extent.Text
        $deeper = "$place $word".Trim()
        if ($option) { $option = '' }
        elseif ($word -eq '--') { $onlyArguments = $true; break }
        elseif ($values.ContainsKey("$place $word")) { $option = $word }
        elseif ($places.ContainsKey($deeper)) { $place = $deeper }
    }

    $argument = if ($option) { $values["$place $option"] } else { $places[$place].argument }
    $offered = [ordered]@{}
    if (-not $option -and -not $onlyArguments) {
        if ($wordToComplete.StartsWith('-')) { $offered = $places[$place].flags; $argument = '' }
        else { $offered = $places[$place].commands }
    }
    # Not $offered.Keys: that would be the description of the command "keys".
    foreach ($entry in $offered.GetEnumerator()) {
        if ($entry.Key.StartsWith($wordToComplete)) {
            [System.Management.Automation.CompletionResult]::new($entry.Key, $entry.Key, 'ParameterValue', $entry.Value)
        }
    }
    if ($argument -eq 'file' -or $argument -eq 'folder') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) |
            Where-Object { $argument -eq 'file' -or $_.ResultType -eq 'ProviderContainer' }
    } elseif ($argument) {
        $argument.Split(' ') | Where-Object { $_.StartsWith($wordToComplete) }
    }
}
`;
}

function placeEntry({ path, commands, flags, argument }: Place): string {
  return `        ${quoted(path)} = @{ commands = ${described(commands)}; flags = ${described(flags)}; argument = ${quoted(wordOf(argument))} }`;
}

function valueEntry({ flag, value }: { flag: string; value: Value | null }): string {
  return `        ${quoted(flag)} = ${quoted(wordOf(value))}`;
}

function described(entries: readonly { name: string; description: string }[]): string {
  const pairs = entries.map(({ name, description }) => `${quoted(name)} = ${quoted(description)}`);
  return `[ordered]@{ ${pairs.join('; ')} }`;
}

/** PowerShell takes typographic quotation marks for its own. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201B]/g, '$&$&')}'`;
}
