// Goal: whole turns through Anthropic's SDK send the bodies that are kept, and nothing that is not whole ever runs.

import { describe } from 'vitest'
import { sceneSuite } from '../scenes.ts'
import { driver } from './driver.ts'

describe('Anthropic', () => sceneSuite(driver, new URL('../golden/anthropic/', import.meta.url)))
